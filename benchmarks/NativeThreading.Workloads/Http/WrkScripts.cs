namespace NativeThreading.Workloads.Http;

/// <summary>The scripts of wrk, in the program's directory.</summary>
internal static class WrkScripts
{
    /// <summary>Prints the result as one line, which <see cref="HttpLoadResult.Parse"/> reads.</summary>
    public static string Report => File("report.lua");

    /// <summary>Sends several requests at once on a connection; its argument says how many.</summary>
    public static string Pipeline => File("pipeline.lua");

    /// <summary>Sends a body.</summary>
    public static string Post => File("post.lua");

    private static string File(string name) => Path.Combine(AppContext.BaseDirectory, "Http", "Wrk", name);
}
