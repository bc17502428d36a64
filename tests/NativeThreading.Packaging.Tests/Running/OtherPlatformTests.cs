using System.Text.RegularExpressions;
using NativeThreading.Packaging.Tests.Content;
using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Running;

/// <summary>T94, T96: a program published on this machine for another one. It is run where something here can run it.</summary>
public sealed class OtherPlatformTests(PackageFeed feed)
{
    /// <summary>An assembly of a program for arm64 is loaded on arm64 only, though nothing in it is.</summary>
    private const string LoadedAnywhere = "PlatformTarget=AnyCPU";

    [Fact]
    public async Task T95_ForWindows_CarriesItsLibrary_AndRunsUnderWine_AlsoWithoutIt()
    {
        Needs("win-x64");
        Requirement.File("/usr/lib/wine/wine64");
        PublishedProgram program = await new Consumer(feed, "Console").PublishAsync("RuntimeIdentifier=win-x64", "SelfContained=true");
        string library = NativePlatforms.LibraryName("win-x64");
        Assert.Equal([library], program.NativeLibraries);
        AssertAssemblyIs(program, NativePlatforms.Image("win-x64", "NativeThreading"));
        AssertWorks(await program.RunUnderWineAsync(), "Native");

        File.Delete(Path.Combine(program.Location, library));
        CommandLine.Result without = await program.RunUnderWineAsync();
        AssertWorks(without, "Managed");
        Assert.Single(Regex.Matches(without.Output, "NativeCoreUnusable: The native library 'libnativethreading.dll' was not found for win-x64"));
        Assert.Equal(ConsoleProgram.Refused, (await program.RunUnderWineAsync(("NATIVETHREADING_CORE", "native"))).ExitCode);
    }

    [Fact]
    public async Task T95_ForMusl_CarriesItsLibrary_AndRunsOnMusl_AlsoWithoutIt()
    {
        Needs("linux-musl-x64");
        PublishedProgram program = await new Consumer(feed, "Console").PublishAsync("RuntimeIdentifier=linux-musl-x64", "SelfContained=true");
        Assert.Equal([PublishedProgram.NativeLibraryName], program.NativeLibraries);
        AssertIs(program, "linux-musl-x64");
        AssertAssemblyIs(program, NativePlatforms.Image("linux-x64", "NativeThreading"));
        await AddWhatMuslLacksAsync(program.Location);
        (string, string) there = ("LD_LIBRARY_PATH", program.Location);
        AssertWorks(await program.RunWithAsync([there]), "Native");

        File.Delete(Path.Combine(program.Location, PublishedProgram.NativeLibraryName));
        CommandLine.Result without = await program.RunWithAsync([there]);
        AssertWorks(without, "Managed");
        Assert.Single(Regex.Matches(without.Error, "NativeCoreUnusable: The native library 'libnativethreading.so' was not found for linux-musl-x64"));
    }

    /// <summary>NuGet takes the library for glibc there, as the nearest one: NativeLibraryContentTests shows that it asks for nothing that musl
    /// lacks. On this machine it is one of another processor.</summary>
    [Fact, Trait("Category", "Long")]
    public async Task T96_ForMuslOnArm64_CarriesTheLibraryForGlibc()
    {
        Needs("linux-arm64");
        const string rid = "linux-musl-arm64";
        PublishedProgram program = await new Consumer(feed, "Console").PublishAsync($"RuntimeIdentifier={rid}", "SelfContained=false", "UseAppHost=false", LoadedAnywhere);
        Assert.Equal([PublishedProgram.NativeLibraryName], program.NativeLibraries);
        AssertIs(program, "linux-arm64");
        AssertAssemblyIs(program, NativePlatforms.Image("linux-arm64", "NativeThreading"));

        // Code of another processor is refused here; the same assemblies without it are not.
        foreach (string name in (string[])["NativeThreading", "NativeThreading.EventLoops"])
        {
            using PackageFile package = feed.Open(name);
            await File.WriteAllBytesAsync(program.Assembly(name), package.Read($"lib/net10.0/{name}.dll"));
        }

        CommandLine.Result here = await program.RunWithDotNetAsync(rid);
        AssertWorks(here, "Managed");
        Assert.Single(Regex.Matches(here.Error, "NativeCoreUnusable: .* was found, but cannot be used for linux-musl-arm64"));
    }

    /// <summary>Its program file is that system's and is not run; the assembly next to it is.</summary>
    [Fact, Trait("Category", "Long")]
    public async Task T94_ForMacOS_CarriesNoLibrary()
    {
        const string rid = "osx-arm64";
        PublishedProgram program = await new Consumer(feed, "Console").PublishAsync($"RuntimeIdentifier={rid}", "SelfContained=false", "NoWarn=NTH0003", LoadedAnywhere);
        Assert.Empty(program.NativeLibraries);
        AssertAssemblyIs(program, "lib/net10.0/NativeThreading.dll");
        byte[] executable = await File.ReadAllBytesAsync(Path.Combine(program.Location, "Console"));
        Assert.Equal([0xCF, 0xFA, 0xED, 0xFE], executable[..4]); // Mach-O

        CommandLine.Result here = await program.RunWithDotNetAsync(rid);
        AssertWorks(here, "Managed");
        Assert.Single(Regex.Matches(here.Error, $"NativeCoreUnusable: .* was not found for {rid}"));
    }

    private static void Needs(string platform) =>
        Assert.SkipUnless(NativePlatforms.Expected.Contains(platform), $"Needs {NativePlatforms.Compilers[platform]}.");

    private void AssertAssemblyIs(PublishedProgram program, string entry)
    {
        using PackageFile package = feed.Open("NativeThreading");
        Assert.Equal(package.Read(entry), File.ReadAllBytes(program.Assembly("NativeThreading")));
    }

    private void AssertIs(PublishedProgram program, string platform)
    {
        using PackageFile package = feed.Open("NativeThreading");
        Assert.Equal(package.Read(NativePlatforms.Library(platform)), File.ReadAllBytes(Path.Combine(program.Location, PublishedProgram.NativeLibraryName)));
    }

    private static void AssertWorks(CommandLine.Result result, string core)
    {
        Assert.True(result.ExitCode == 0, result.ToString());
        Assert.All((string[])["items: True", "run: reports-worker", "group: 328350", "loop: 42", "semaphore: True", $"core: {core}"],
            line => Assert.Contains(line, result.Output, StringComparison.Ordinal));
    }

    private static async Task AddWhatMuslLacksAsync(string directory)
    {
        CommandLine.Result added = await CommandLine.RunAsync(
            Path.Combine(PackageFeed.RepositoryRoot, "native", "cmake", "musl-cxx"), [directory], directory, TimeSpan.FromMinutes(1));
        Assert.True(added.ExitCode == 0, added.ToString());
    }
}
