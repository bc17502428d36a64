using NativeThreading.Packaging.Tests.Content;
using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Running;

/// <summary>T95, T97: a program that is compiled ahead has the native library inside, unless it is asked not to.</summary>
public sealed class NativeAotTests(PackageFeed feed)
{
    [Theory]
    [InlineData(9)]
    [InlineData(10)]
    public async Task T95_T97_IsOneFile_WithTheNativeCoreInside(int framework)
    {
        PublishedProgram program = await PublishAsync(framework);
        Assert.Equal(["Console"], FilesOf(program));
        Assert.Equal(ConsoleProgram.NoFile, await program.AssertWorksAsync(framework, dynamicCode: false));

        // Which core runs is still chosen when the program starts.
        CommandLine.Result managed = await program.RunWithAsync("NATIVETHREADING_CORE", "managed");
        Assert.True(managed.ExitCode == 0, managed.ToString());
        Assert.Contains("core: Managed", managed.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task T95_AskedNotTo_HasTheLibraryBesideIt()
    {
        PublishedProgram program = await PublishAsync(9, "NativeThreadingLinkStatically=false");
        Assert.Equal(["Console", PublishedProgram.NativeLibraryName], FilesOf(program));
        Assert.Equal(Path.Combine(program.Location, PublishedProgram.NativeLibraryName), await program.AssertWorksAsync(9, dynamicCode: false));
    }

    private Task<PublishedProgram> PublishAsync(int framework, params string[] properties)
    {
        Requirement.Program("gcc");
        return new Consumer(feed, "Console").PublishAsync(
            [$"RuntimeIdentifier={NativePlatforms.Own}", $"ConsumerFramework=net{framework}.0", "NativeAot=true", "CppCompilerAndLinker=gcc", .. properties]);
    }

    /// <summary>Without what debuggers read.</summary>
    private static IEnumerable<string> FilesOf(PublishedProgram program) =>
        program.Files.Where(file => Path.GetExtension(file) is not (".dbg" or ".pdb"));
}
