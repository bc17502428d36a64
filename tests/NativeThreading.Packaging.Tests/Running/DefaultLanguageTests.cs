using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Snippets;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Running;

/// <summary>
/// The code of the pages that a new user reads first compiles for .NET 9 in that version's own language, C# 13: the compiler there neither infers a span's
/// element from an array nor knows extension members.
/// </summary>
public sealed class DefaultLanguageTests(PackageFeed feed)
{
    private static readonly string[] s_pages = ["README.md", "docs/start/getting-started.md"];

    [Fact]
    public async Task EverySnippetOfTheFirstPages_CompilesForNet9_WithItsDefaultLanguage()
    {
        string directory = Directory.CreateDirectory(Path.Combine(feed.Workspace, "default-language")).FullName;
        string[] files = [.. s_pages.SelectMany(FilesWithTheBlocksOf).Distinct()];
        Assert.NotEmpty(files);
        for (int i = 0; i < files.Length; i++)
        {
            File.Copy(files[i], Path.Combine(directory, $"{i}.{Path.GetFileName(files[i])}"));
        }

        // Snippets stand in tests, which need xunit and the waits with a deadline.
        File.Copy(Path.Combine(PackageFeed.RepositoryRoot, "tests", "Shared", "Deadline.cs"), Path.Combine(directory, "Deadline.cs"));
        await File.WriteAllTextAsync(Path.Combine(directory, "DefaultLanguage.csproj"), $"""
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup>
                <TargetFramework>net9.0</TargetFramework>
                <TreatWarningsAsErrors>false</TreatWarningsAsErrors>
                <AnalysisMode>None</AnalysisMode>
                <RestoreEnablePackagePruning>true</RestoreEnablePackagePruning>
              </PropertyGroup>
              <ItemGroup>
                <FrameworkReference Include="Microsoft.AspNetCore.App" />
                <PackageReference Include="xunit.v3.assert" Version="3.2.1" />
                <PackageReference Include="xunit.v3.extensibility.core" Version="3.2.1" />
                {string.Concat(PackageFeed.Ids.Where(id => PackageFeed.FrameworksOf(id).Contains("net9.0")).Select(id => $"""<PackageReference Include="{id}" Version="[{feed.Version}]" />"""))}
                <Using Include="Xunit" />
                <Using Include="NativeThreading.Tests.Support" />
              </ItemGroup>
            </Project>
            """);

        CommandLine.Result result = await DotNet.RunAsync(directory, feed.NuGetSettings, ["build", "-v", "quiet", "-nologo"]);
        Requirement.Restorable(result.Output);
        Assert.True(result.ExitCode == 0, result.ToString());
    }

    private static IEnumerable<string> FilesWithTheBlocksOf(string page) =>
        DocumentationPages.BlocksOf(Path.Combine(PackageFeed.RepositoryRoot, page)).Select(block =>
        {
            string[] wanted = [.. Lines(block).SkipWhile(static line => line.StartsWith("using ", StringComparison.Ordinal) && line.EndsWith(';'))];
            return SourceTree.Files("tests", "*Snippets.cs").Order(StringComparer.Ordinal).First(file => string.Join('\n', Lines(File.ReadAllText(file))).Contains(string.Join('\n', wanted), StringComparison.Ordinal));
        });

    private static IEnumerable<string> Lines(string text) => DocumentationPages.LinesOf(text).Select(static line => line.Text);
}
