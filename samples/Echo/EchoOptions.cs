using System.Globalization;

namespace NativeThreading.Samples.Echo;

/// <summary>The command line.</summary>
internal sealed record EchoOptions(int Loops, bool Socket)
{
    public const string Usage = """
        Echo [--loops n]   an echo server on n event loops, one unless told
        Echo --socket      the same on System.Net.Sockets.Socket, for comparison
        """;

    /// <summary>Null if it cannot be understood.</summary>
    public static EchoOptions? Parse(string[] arguments) => arguments switch
    {
        [] => new EchoOptions(1, false),
        ["--socket"] => new EchoOptions(0, true),
        ["--loops", string count] when int.TryParse(count, NumberStyles.None, CultureInfo.InvariantCulture, out int loops)
            && loops is > 0 and <= 1024 => new EchoOptions(loops, false),
        _ => null,
    };
}
