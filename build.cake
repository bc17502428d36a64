// dotnet tool restore && dotnet cake --target=Pack

using System.IO.Compression;

var target = Argument("target", "Test");
var configuration = Argument("configuration", "Release");
var url = Argument("url", "");

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

// The C tests are among these: see tests/NativeThreading.Processes.Tests/Native.
Task("Test").IsDependentOn("Build").Does(() =>
    DotNetTest(solution, new DotNetTestSettings { Configuration = configuration, NoBuild = true }));

void Pack(DotNetMSBuildSettings settings)
{
    CleanDirectory(packages);
    DotNetPack("src/Packages.slnf", new DotNetPackSettings { Configuration = configuration, NoBuild = true, OutputDirectory = packages, MSBuildSettings = settings });

    // What stands in them is for Test-Package to say; this is against an empty directory, and a package without its library.
    foreach (var project in GetFiles("src/*/*.csproj"))
    {
        var id = project.GetFilenameWithoutExtension().ToString();
        var file = GetFiles($"{packages}/{id}.*.nupkg").Single(name => char.IsDigit(name.GetFilename().ToString()[id.Length + 1]));
        using var package = ZipFile.OpenRead(file.FullPath);
        if (id == "NativeThreading" && !package.Entries.Any(entry => entry.FullName.StartsWith("runtimes/") && entry.FullName.Contains("/native/")))
        {
            throw new CakeException("The package holds no native library.");
        }
    }
}

// For trying out: platforms whose compiler is missing are named and left out.
Task("Pack").IsDependentOn("Build").Does(() => Pack(new DotNetMSBuildSettings().WithProperty("ProjectUrl", url)));

Task("Check-Release").Does(() =>
{
    if (!url.StartsWith("https://"))
    {
        throw new CakeException("A release says where the project is at home: dotnet cake --target=Release --url=https://...");
    }
});

// For publishing: nothing may be missing.
Task("Release").IsDependentOn("Check-Release").IsDependentOn("Build").Does(() =>
    Pack(new DotNetMSBuildSettings().WithProperty("ProjectUrl", url).WithProperty("ForRelease", "true")));

// Packs once more, under a separate version, and uses the packages as a user does.
Task("Test-Package").IsDependentOn("Build").Does(() =>
    DotNetTest("tests/NativeThreading.Packaging.Tests", new DotNetTestSettings { Configuration = configuration, NoBuild = true }));

// The pages and the API reference as HTML that is read without a server. A link, an anchor or a cross reference that leads nowhere is an error.
Task("Site").IsDependentOn("Build").Does(() =>
{
    var site = Directory("artifacts/site");
    CleanDirectory(site);
    CleanDirectory("artifacts/site-api");
    Run("dotnet", "docfx metadata docfx.json --logLevel Error");
    Run("dotnet", "docfx build docfx.json --warningsAsErrors");

    // A page that is opened as a file may load scripts, but no data: the index of the search becomes a script.
    var index = site + File("index.json");
    System.IO.File.WriteAllText(site + File("search-index.js"), $"window.searchIndex = {System.IO.File.ReadAllText(index)};\n");
    DeleteFile(index);
    System.IO.File.WriteAllText(site + File("index.html"), "<!DOCTYPE html><meta charset=utf-8><meta http-equiv=refresh content='0; url=docs/README.html'><title>NativeThreading</title>\n");
});

Task("Tables").IsDependentOn("Build").Does(() =>
    Run("dotnet", $"run -c {configuration} --no-build --project benchmarks/NativeThreading.Tables -- quwi"));

RunTarget(target);
