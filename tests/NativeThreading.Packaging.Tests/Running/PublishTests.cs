using System.Reflection.PortableExecutable;
using NativeThreading.Packaging.Tests.Content;
using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Running;

/// <summary>T95: a console program that knows the package only, in every form in which .NET publishes programs; those that are compiled ahead are in
/// <see cref="NativeAotTests"/>.</summary>
public sealed class PublishTests(PackageFeed feed)
{
    private static readonly string s_ownPlatform = $"RuntimeIdentifier={NativePlatforms.Own}";

    [Fact]
    public async Task T95_Portable_CarriesEveryPlatform()
    {
        PublishedProgram program = await new Consumer(feed, "Console").PublishAsync();
        Assert.Equal(
            NativePlatforms.Expected.Select(NativePlatforms.Library),
            program.NativeLibraries);
        Assert.DoesNotContain(program.Files, file => file.EndsWith(".a", StringComparison.Ordinal)); // what only linkers read
        Assert.All(NativePlatforms.CompiledAhead("NativeThreading"), image => Assert.Contains(image, program.Files));
        Assert.EndsWith(
            $"/runtimes/{NativePlatforms.Own}/native/{PublishedProgram.NativeLibraryName}", await program.AssertWorksAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task T95_ForOnePlatform_CarriesThatOne()
    {
        PublishedProgram program = await new Consumer(feed, "Console").PublishAsync(s_ownPlatform, "SelfContained=false");
        Assert.Equal([PublishedProgram.NativeLibraryName], program.NativeLibraries);
        Assert.DoesNotContain(program.Files, file => file.EndsWith(".a", StringComparison.Ordinal));
        Assert.Equal(Path.Combine(program.Location, PublishedProgram.NativeLibraryName), await program.AssertWorksAsync());
    }

    [Theory]
    [InlineData(9)]
    [InlineData(10)]
    public async Task T95_WithItsRuntime(int framework)
    {
        PublishedProgram program = await new Consumer(feed, "Console").PublishAsync(s_ownPlatform, "SelfContained=true", $"ConsumerFramework=net{framework}.0");
        await program.AssertWorksAsync(framework);
    }

    [Fact]
    public async Task T95_SingleFile_WithTheLibraryBesideIt()
    {
        PublishedProgram program = await new Consumer(feed, "Console").PublishAsync(s_ownPlatform, "SelfContained=false", "PublishSingleFile=true");
        Assert.Equal(["Console", PublishedProgram.NativeLibraryName], program.FilesWithoutSymbols);
        await program.AssertWorksAsync();
    }

    [Fact]
    public async Task T95_SingleFile_WithTheLibraryInside()
    {
        PublishedProgram program = await new Consumer(feed, "Console").PublishAsync(
            s_ownPlatform, "SelfContained=false", "PublishSingleFile=true", "IncludeNativeLibrariesForSelfExtract=true");
        Assert.Equal(["Console"], program.FilesWithoutSymbols);
        await program.AssertWorksAsync();
    }

    [Fact]
    public async Task T97_SingleFile_Trimmed_WithItsRuntime()
    {
        PublishedProgram program = await new Consumer(feed, "Console").PublishAsync(s_ownPlatform, "PublishSingleFile=true", "PublishTrimmed=true");
        Assert.Equal(["Console", PublishedProgram.NativeLibraryName], program.FilesWithoutSymbols);
        await program.AssertWorksAsync();
    }

    [Fact]
    public async Task T95_ReadyToRun()
    {
        PublishedProgram program = await new Consumer(feed, "Console").PublishAsync(s_ownPlatform, "SelfContained=false", "PublishReadyToRun=true");
        using var library = new PEReader(File.OpenRead(program.Assembly("NativeThreading")));
        Assert.True(library.PEHeaders.CorHeader!.ManagedNativeHeaderDirectory.Size > 0, "NativeThreading.dll holds no compiled code.");
        Assert.InRange(new FileInfo(program.Assembly("NativeThreading")).Length, 650_000, 1_150_000);
        await program.AssertWorksAsync();
    }

    [Fact, Trait("Category", "Long")]
    public async Task T97_Trimmed_WithoutAWarning()
    {
        PublishedProgram program = await new Consumer(feed, "Console").PublishAsync(s_ownPlatform, "PublishTrimmed=true");
        using PackageFile package = feed.Open("NativeThreading");
        Assert.InRange(new FileInfo(program.Assembly("NativeThreading")).Length, 1, package.Read("lib/net10.0/NativeThreading.dll").Length - 1);
        await program.AssertWorksAsync();
    }

    /// <summary>The checks above see what they look for.</summary>
    [Fact]
    public async Task T97_ATrimWarningOfTheConsumerItself_StopsThePublish()
    {
        CommandLine.Result result = await new Consumer(feed, "Console").TryPublishAsync(
            s_ownPlatform, "PublishTrimmed=true", "DefineConstants=SEED_A_TRIM_WARNING");
        Requirement.Restorable(result.Output);
        Assert.NotEqual(0, result.ExitCode);
        Assert.Contains("IL2057", result.Output, StringComparison.Ordinal);
    }
}
