using System.Text.Json;
using NativeThreading.Tests.Support;

namespace NativeThreading.Dashboard.Tests.Support;

/// <summary>A reader of a stream of samples.</summary>
internal sealed class SampleStream(HttpResponseMessage response, Stream body) : IDisposable
{
    private readonly StreamReader _reader = new(body);

    public HttpResponseMessage Response => response;

    /// <summary>The lines of the next event.</summary>
    public async Task<string[]> ReadEventAsync()
    {
        var lines = new List<string>();
        while (await Deadline.For(_reader.ReadLineAsync(), "the next line of the stream") is { } line && line.Length != 0)
        {
            lines.Add(line);
        }

        return [.. lines];
    }

    /// <summary>The next sample.</summary>
    public async Task<JsonElement> ReadSampleAsync()
    {
        string[] lines;
        do
        {
            lines = await ReadEventAsync();
        }
        while (lines is [var first, ..] && first.StartsWith("retry:", StringComparison.Ordinal));

        Assert.Equal("event: sample", lines[0]);
        JsonElement sample = JsonElement.Parse(lines[2]["data: ".Length..]);
        Assert.Equal($"id: {sample.GetProperty("sequence").GetInt64()}", lines[1]);
        return sample;
    }

    /// <summary>Whether the stream ends, after whatever is still in it.</summary>
    public Task ReadToEndAsync() => Deadline.For(_reader.ReadToEndAsync(), "the end of the stream");

    public void Dispose()
    {
        _reader.Dispose();
        response.Dispose();
    }
}
