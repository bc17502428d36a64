using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Hosting;
using NativeThreading.Dashboard.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Dashboard.Tests.Page;

/// <summary>The page loads nothing from anywhere, and runs no script but its own.</summary>
public sealed partial class PageTests
{
    [Fact]
    public async Task Policy_AllowsItsOwnStyleAndScriptAlone_WithANonceOfEachResponse()
    {
        await using TestApp app = await TestApp.StartAsync();
        var nonces = new HashSet<string>();
        for (int i = 0; i < 3; i++)
        {
            (HttpResponseMessage response, string page) = await GetAsync(app, "/threads");
            string policy = Assert.Single(response.Headers.GetValues("Content-Security-Policy"));
            string nonce = PolicyNonce().Match(policy).Groups[1].Value;
            Assert.True(nonce.Length >= 22);
            Assert.True(nonces.Add(nonce));
            Assert.Equal(
                $"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                policy);
            MatchCollection elements = ScriptOrStyle().Matches(page);
            Assert.NotEmpty(elements);
            Assert.All<Match>(elements, element => Assert.Equal(nonce, System.Net.WebUtility.HtmlDecode(element.Groups[2].Value)));
        }
    }

    [Fact]
    public async Task Answer_IsNeitherKeptNorGuessedNorToldOthers()
    {
        await using TestApp app = await TestApp.StartAsync();
        (HttpResponseMessage response, _) = await GetAsync(app, "/threads");
        Assert.Equal("text/html; charset=utf-8", response.Content.Headers.ContentType!.ToString());
        Assert.True(response.Headers.CacheControl!.NoStore);
        Assert.Equal("nosniff", Assert.Single(response.Headers.GetValues("X-Content-Type-Options")));
        Assert.Equal("no-referrer", Assert.Single(response.Headers.GetValues("Referrer-Policy")));
    }

    [Fact]
    public async Task Page_NamesNoOtherHost_AndHasNoPlaceholderLeft()
    {
        await using TestApp app = await TestApp.StartAsync();
        (_, string page) = await GetAsync(app, "/threads");
        Assert.All<Match>(Address().Matches(page), address => Assert.StartsWith("http://www.w3.org/", address.Value, StringComparison.Ordinal)); // names of namespaces
        string[] placeholders = ["%NONCE%", "%BASE%", "%ACTIONS%", "%STYLE%", "%SCRIPT%"];
        Assert.All(placeholders, placeholder => Assert.DoesNotContain(placeholder, page, StringComparison.Ordinal));
        Assert.Equal(1, Regex.Count(page, "</script")); // the bundle does not end its element
    }

    [Theory]
    [InlineData("/threads", "", "/threads")]
    [InlineData("/threads", "", "/threads/")]
    [InlineData("/a b/threads", "", "/a%20b/threads")]
    [InlineData("/threads", "/shop", "/shop/threads")]
    public async Task Page_KnowsWhereItIs(string pattern, string pathBase, string path)
    {
        await using TestApp app = await TestApp.StartAsync(Environments.Development, app =>
        {
            app.UsePathBase(pathBase);
            app.UseRouting();
            app.MapNativeThreading(pattern);
        });
        (_, string page) = await GetAsync(app, path);
        Assert.Contains($"data-base=\"{path.TrimEnd('/')}\"", page, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Page_OffersActions_WhereTheyAreAllowed(bool areAllowed)
    {
        await using TestApp app = await TestApp.StartAsync(options => options.AllowActions = areAllowed);
        (_, string page) = await GetAsync(app, "/threads");
        Assert.Contains($"data-actions=\"{(areAllowed ? "true" : "false")}\"", page, StringComparison.Ordinal);
    }

    private static async Task<(HttpResponseMessage Response, string Page)> GetAsync(TestApp app, string path)
    {
        HttpResponseMessage response = await app.GetAsync(path);
        response.EnsureSuccessStatusCode();
        return (response, await Deadline.For(response.Content.ReadAsStringAsync()));
    }

    [GeneratedRegex("'nonce-([^']+)'")]
    private static partial Regex PolicyNonce();

    [GeneratedRegex("<(script|style)[^>]*nonce=\"([^\"]*)\"")]
    private static partial Regex ScriptOrStyle();

    [GeneratedRegex(@"(https?:)?//[a-z0-9-]+(\.[a-z0-9-]+)+[^\s""'`)]*", RegexOptions.IgnoreCase)]
    private static partial Regex Address();
}
