namespace NativeThreading.Tables.Harness;

/// <summary>What standard output can show.</summary>
internal static class Terminal
{
    public static bool IsInteractive { get; } =
        !Console.IsOutputRedirected && Environment.GetEnvironmentVariable("TERM") is not (null or "" or "dumb");

    private static readonly bool s_colours =
        IsInteractive && string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_COLOR"));

    public static string Bold(string text) => Paint(text, "1");

    public static string Dim(string text) => Paint(text, "2");

    /// <summary>Green where ours is clearly ahead, red where it is behind.</summary>
    public static string Judge(double? advantage, string text) => advantage switch
    {
        >= 1.5 => Paint(text, "32"),
        < 1.0 => Paint(text, "31"),
        _ => text,
    };

    private static string Paint(string text, string code) => s_colours ? $"\e[{code}m{text}\e[0m" : text;
}
