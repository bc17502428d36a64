using System.Globalization;

namespace NativeThreading.Tests.Support;

/// <summary>
/// Repetitions of what depends on luck: few by default, NTH_SOAK times as many where that is set, in C too
/// (native/tests/harness.c).
/// </summary>
internal static class Soak
{
    private static readonly int s_factor = int.Parse(Environment.GetEnvironmentVariable("NTH_SOAK") ?? "1", CultureInfo.InvariantCulture);

    public static int Rounds(int usual) => checked(usual * s_factor);
}
