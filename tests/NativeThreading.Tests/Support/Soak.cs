namespace NativeThreading.Tests.Support;

/// <summary>Repetitions: few by default, many where NTH_SOAK is 1.</summary>
internal static class Soak
{
    private static readonly bool s_long = Environment.GetEnvironmentVariable("NTH_SOAK") == "1";

    public static int Rounds(int usual) => s_long ? usual * 50 : usual;
}
