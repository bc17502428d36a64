using NativeThreading.Tests.Support;

namespace NativeThreading.Quartz.Tests.Support;

/// <summary>Where the caller runs, by the name of the pool.</summary>
internal static class Where
{
    /// <summary>No worker of any pool.</summary>
    public const string Runtime = "runtime";

    public static string AmI => NativeThreadPool.Current?.Name ?? Runtime;

    /// <summary>Here, and after awaits that complete elsewhere.</summary>
    public static async Task<string> AmIAlways()
    {
        string first = AmI;
        await Task.Run(() => { });
        string second = AmI;
        await Elsewhere.CompleteAsync();
        return $"{first} {second} {AmI}";
    }
}
