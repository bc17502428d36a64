using NativeThreading.Workloads.Skynet;

namespace NativeThreading.Workloads.Scale;

/// <summary>How much of each shape there is: in one place, so that what is simulated is what was counted.</summary>
internal static class ScalePlan
{
    public const int ChainDepth = 16;
    public const int Children = 10;
    public const int FanOutItems = 10_000;
    public const int FanOutRounds = 10;
    public const int Requests = 8_192;
    public const int RequestsAtOnce = 4; // of a client
    public const int RequestChildren = 3;
    public const double RequestItemMicroseconds = 1;

    public static ScaleShape[] Shapes { get; } = Enum.GetValues<ScaleShape>();

    /// <summary>Powers of two, as the numbers of workers are, and the more the more workers there are.</summary>
    public static int Chains(int workers) => Math.Max(8_192, 512 * workers);

    public static int Leaves(int workers) => workers < 32 ? 100_000 : 1_000_000;

    /// <summary>Threads outside that send requests.</summary>
    public static int Clients(int workers) => Math.Max(1, workers / 2);

    /// <summary>Items that one run executes.</summary>
    public static long Items(ScaleShape shape, int workers) => shape switch
    {
        ScaleShape.QuwiGlobal or ScaleShape.QuwiLocal => (Chains(workers) * ChainDepth) + workers,
        ScaleShape.Skynet => SkynetTree.Nodes(Leaves(workers)),
        ScaleShape.FanOut => FanOutItems * FanOutRounds,
        _ => Requests * (RequestChildren + 2),
    };

    /// <summary>In the names of rows.</summary>
    public static string NameOf(ScaleShape shape) => shape switch
    {
        ScaleShape.QuwiGlobal => "quwi-global",
        ScaleShape.QuwiLocal => "quwi-local",
        ScaleShape.Skynet => "skynet",
        ScaleShape.FanOut => "fan-out",
        _ => "service",
    };
}
