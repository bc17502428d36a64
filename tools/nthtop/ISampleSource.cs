namespace NativeThreading.Top;

/// <summary>Gives samples in the JSON of the live page (docs/reference/dashboard-json.md). What a source cannot know is null.</summary>
internal interface ISampleSource
{
    /// <summary>What is read, for messages.</summary>
    string Name { get; }

    /// <summary>One sample a second, until the source ends.</summary>
    IAsyncEnumerable<string> ReadAsync(CancellationToken cancellationToken);

    /// <summary>The place that explains a condition.</summary>
    string ExplanationOf(string condition);
}
