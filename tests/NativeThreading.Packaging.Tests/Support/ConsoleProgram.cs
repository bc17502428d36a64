using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Support;

/// <summary>What the consumer Console says when everything works.</summary>
internal static class ConsoleProgram
{
    /// <summary>Said instead of a file where no native library is loaded.</summary>
    public const string NoFile = "none";

    /// <summary>Its exit code where the library refused to work.</summary>
    public const int Refused = 93;

    /// <summary>Runs the program, on the native core, and returns the file of the native library that it used, or <see cref="NoFile"/>.</summary>
    public static async Task<string> AssertWorksAsync(this PublishedProgram program, int framework = 10, bool dynamicCode = true)
    {
        CommandLine.Result result = await program.RunAsync();
        Assert.True(result.ExitCode == 0, result.ToString());
        string[] lines = result.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(
        [
            "items: True",
            "run: reports-worker",
            "group: 328350",
            "loop: 42",
            "semaphore: True",
            "core: Native",
            $"dynamic code: {dynamicCode}",
            $"framework: {framework}",
        ],
        lines[..^1]);
        Assert.StartsWith(dynamicCode ? "native: /" : "native: ", lines[^1], StringComparison.Ordinal);
        return lines[^1]["native: ".Length..];
    }
}
