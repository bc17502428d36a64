namespace NativeThreading.Diagnostics;

/// <summary>A work item that runs, by the code that it came from.</summary>
/// <param name="Type">The type that declares the method, with its namespace; <see langword="null"/> where it cannot be told.</param>
/// <param name="Method">The method: of a lambda the one that contains it, of an async method that method. <see langword="null"/> where it
/// cannot be told, as of a task that the framework has made of a delegate.</param>
/// <param name="Duration">For how long it has run.</param>
public sealed record RunningItem(string? Type, string? Method, TimeSpan Duration);
