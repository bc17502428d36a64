// dotnet tool restore && dotnet cake --target=Pack

using System.IO.Compression;

var target = Argument("target", "Test");
var configuration = Argument("configuration", "Release");

var solution = "ThreadPool.sln";
var preset = configuration == "Debug" ? "debug" : "release";
var packages = Directory("artifacts/packages");

// T99: StartProcess reports an exit code and leaves it at that.
void Run(string tool, string arguments, string directory = ".")
{
    var exitCode = StartProcess(tool, new ProcessSettings { Arguments = arguments, WorkingDirectory = directory });
    if (exitCode != 0)
    {
        throw new CakeException($"`{tool} {arguments}` failed with exit code {exitCode}.");
    }
}

Task("Clean").Does(() =>
{
    CleanDirectories("./{src,tests,benchmarks,samples}/*/{bin,obj}");
    CleanDirectory("native/build");
    CleanDirectory("artifacts");
});

Task("Native").Does(() =>
{
    Run("cmake", $"--preset {preset}", "native");
    Run("cmake", $"--build build/{preset}", "native");
});

Task("Native-Test").IsDependentOn("Native").Does(() =>
    Run("ctest", $"--test-dir build/{preset} --no-tests=error --output-on-failure --timeout 240", "native"));

Task("Build").Does(() =>
    DotNetBuild(solution, new DotNetBuildSettings { Configuration = configuration }));

// The C tests are among these: see tests/NativeThreading.Tests/Native.
Task("Test").IsDependentOn("Build").Does(() =>
    DotNetTest(solution, new DotNetTestSettings { Configuration = configuration, NoBuild = true }));

Task("Pack").IsDependentOn("Build").Does(() =>
{
    CleanDirectory(packages);
    DotNetPack(solution, new DotNetPackSettings { Configuration = configuration, NoBuild = true, OutputDirectory = packages });

    using var package = ZipFile.OpenRead(GetFiles($"{packages}/NativeThreading.*.nupkg").Single().FullPath);
    if (!package.Entries.Any(entry => entry.FullName.StartsWith("runtimes/")))
    {
        throw new CakeException("The package holds no native library.");
    }
});

Task("Tables").IsDependentOn("Build").Does(() =>
    Run("dotnet", $"run -c {configuration} --no-build --project benchmarks/NativeThreading.Tables -- quwi"));

RunTarget(target);
