using NativeThreading.Packaging.Tests.Support;

namespace NativeThreading.Packaging.Tests.Content;

/// <summary>What stands in the packages, entry by entry: nothing is missing, and nothing is in them by accident.</summary>
public sealed class PackageContentTests(PackageFeed feed)
{
    public static TheoryData<string> Ids() => new(PackageFeed.Ids);

    [Fact]
    public void PackagesAreMade_EachWithItsSymbols() => Assert.Equal(
        PackageFeed.Ids.SelectMany(id => new[] { $"{id}.{feed.Version}.nupkg", $"{id}.{feed.Version}.snupkg" }).Append($"{PackageFeed.Tool}.{feed.Version}.nupkg").Order(StringComparer.Ordinal),
        Directory.GetFiles(feed.Location).Select(Path.GetFileName).Order(StringComparer.Ordinal));

    [Theory]
    [MemberData(nameof(Ids))]
    public void Package_HoldsThisAndNothingElse(string id)
    {
        using PackageFile package = feed.Open(id);
        IEnumerable<string> expected =
        [
            $"{id}.nuspec", "README.md", "THIRD-PARTY-NOTICES.txt", "icon.png",
            .. PackageFeed.FrameworksOf(id).SelectMany(framework => new[] { $"lib/{framework}/{id}.dll", $"lib/{framework}/{id}.xml" }),
            .. id == "NativeThreading" ? ["buildTransitive/NativeThreading.targets", "buildTransitive/NativeThreading.NativeAot.targets"] : Array.Empty<string>(),
            .. id == "NativeThreading.AspNetCore" ? [$"buildTransitive/{id}.targets"] : Array.Empty<string>(),
            .. id == "NativeThreading.Dashboard" ? ["page/THIRD-PARTY-NOTICES.txt"] : Array.Empty<string>(),
            .. id == "NativeThreading" ? NativePlatforms.Expected.Select(NativePlatforms.Library) : [],
            .. NativePlatforms.CompiledAhead(id),
            .. id == "NativeThreading" ? NativePlatforms.Expected.Select(NativePlatforms.Archive).OfType<string>() : [],
        ];
        Assert.Equal(expected.Order(StringComparer.Ordinal), package.Entries);
    }

    [Theory]
    [MemberData(nameof(Ids))]
    public void SymbolPackage_HoldsThePdbs(string id)
    {
        using PackageFile package = feed.Open(id, "snupkg");
        Assert.Equal(
            PackageFeed.FrameworksOf(id).Select(framework => $"lib/{framework}/{id}.pdb").Append($"{id}.nuspec").Order(StringComparer.Ordinal),
            package.Entries);
    }

    [Theory]
    [MemberData(nameof(Ids))]
    public void Packing_SaidNothingOfWarnings(string id)
    {
        Assert.Contains($"{id}.{feed.Version}.nupkg", feed.Log, StringComparison.Ordinal);
        Assert.DoesNotContain("warning", feed.Log, StringComparison.OrdinalIgnoreCase);
    }
}
