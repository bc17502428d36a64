namespace NativeThreading.Samples.Storefront;

/// <summary>Something to read.</summary>
internal sealed record Report(string Title, int Rows);
