using NativeThreading.Packaging.Tests.Content;
using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Running;

/// <summary>T95, T97: a program that is compiled ahead has the native library inside, unless it is asked not to. It has cultures; those of
/// <see cref="LayeredTests"/> have none.</summary>
public sealed class NativeAotTests(PackageFeed feed)
{
    [Theory]
    [InlineData(9, Traits = ["Category", "Long"])]
    [InlineData(10)]
    public async Task T95_T97_IsOneFile_WithTheNativeCoreInside(int framework)
    {
        PublishedProgram program = await PublishAsync(framework, "InvariantGlobalization=");
        Assert.Equal(["Console"], program.FilesWithoutSymbols);
        Assert.Equal(ConsoleProgram.NoFile, await program.AssertWorksAsync(framework, dynamicCode: false));

        // Which core runs is still chosen when the program starts.
        CommandLine.Result managed = await program.RunWithAsync("NATIVETHREADING_CORE", "managed");
        Assert.True(managed.ExitCode == 0, managed.ToString());
        Assert.Contains("core: Managed", managed.Output, StringComparison.Ordinal);
        await AssertNeedsIcuAsync(program);
    }

    [Fact, Trait("Category", "Long")]
    public async Task T95_AskedNotTo_HasTheLibraryBesideIt()
    {
        PublishedProgram program = await PublishAsync(9, "NativeThreadingLinkStatically=false");
        Assert.Equal(["Console", PublishedProgram.NativeLibraryName], program.FilesWithoutSymbols);
        Assert.Equal(Path.Combine(program.Location, PublishedProgram.NativeLibraryName), await program.AssertWorksAsync(9, dynamicCode: false));
    }

    /// <summary>Cultures come from ICU, which .NET loads from the machine also where the program is one file. docs/reference/native-aot.md says what the program
    /// says without it, and what helps.</summary>
    private static async Task AssertNeedsIcuAsync(PublishedProgram program)
    {
        (string, string) withoutIcu = ("LD_PRELOAD", await DoorAsync(program));
        CommandLine.Result refused = await program.RunWithAsync([withoutIcu]);
        Assert.True(refused.ExitCode != 0, refused.ToString());
        Assert.Contains("Process terminated. Couldn't find a valid ICU package installed on the system", refused.Error, StringComparison.Ordinal);

        CommandLine.Result invariant = await program.RunWithAsync([withoutIcu, ("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1")]);
        Assert.True(invariant.ExitCode == 0, invariant.ToString());
        Assert.Contains("core: Native", invariant.Output, StringComparison.Ordinal);
    }

    /// <summary>A library before which no ICU can be loaded.</summary>
    private static async Task<string> DoorAsync(PublishedProgram program)
    {
        string source = Path.Combine(program.Location, "door.c"), door = Path.ChangeExtension(source, ".so");
        await File.WriteAllTextAsync(source, """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <string.h>
            void *dlopen(const char *file, int flags) {
              void *(*real)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
              return file != 0 && strstr(file, "libicu") != 0 ? 0 : real(file, flags);
            }
            """);
        CommandLine.Result compiled = await CommandLine.RunAsync("gcc", ["-shared", "-fPIC", "-o", door, source], program.Location, TimeSpan.FromMinutes(1));
        Assert.True(compiled.ExitCode == 0, compiled.ToString());
        return door;
    }

    private Task<PublishedProgram> PublishAsync(int framework, params string[] properties)
    {
        Requirement.Program("gcc");
        return new Consumer(feed, "Console").PublishAsync(
            [$"RuntimeIdentifier={NativePlatforms.Own}", $"ConsumerFramework=net{framework}.0", "NativeAot=true", "CppCompilerAndLinker=gcc", .. properties]);
    }
}
