namespace NativeThreading.Tables.Harness;

/// <summary>One side of a row: a name and a run that does the row's work once, checks that it was done, and measures it.</summary>
internal sealed record Contender(string Name, Func<Sample> Run)
{
    public const string Native = "native";
    public const string ThreadPool = "threadpool";
    public const string Floor = "floor";

    /// <summary>A program of its own, compiled ahead: it warms itself up.</summary>
    public bool IsOtherProgram { get; init; }
}
