using System.Text;
using System.Text.Encodings.Web;

namespace NativeThreading.Dashboard.Rendering;

/// <summary>The page: a template of this assembly with its style and script in place, cut at what differs between requests.</summary>
internal static class PageTemplate
{
    private static readonly Lazy<string[]> s_parts = new(Read);

    /// <param name="nonce">Of this response; allows its style and script.</param>
    /// <param name="basePath">The absolute path of the page, without a slash at its end.</param>
    /// <param name="allowsActions">Whether the page offers actions.</param>
    public static byte[] Render(string nonce, string basePath, bool allowsActions)
    {
        var page = new StringBuilder();
        foreach (string part in s_parts.Value)
        {
            page.Append(part switch
            {
                "%NONCE%" => HtmlEncoder.Default.Encode(nonce),
                "%BASE%" => HtmlEncoder.Default.Encode(basePath),
                "%ACTIONS%" => allowsActions ? "true" : "false",
                _ => part,
            });
        }

        return Encoding.UTF8.GetBytes(page.ToString());
    }

    /// <summary>Style and script are separate parts in which no placeholder is replaced.</summary>
    private static string[] Read() =>
    [
        .. Cut(Resource("index.html")).Select(static part => part switch
        {
            "%STYLE%" => Resource("dashboard.css"),
            "%SCRIPT%" => Resource("dashboard.js"),
            _ => part,
        }),
    ];

    private static IEnumerable<string> Cut(string template)
    {
        string[] names = ["%NONCE%", "%BASE%", "%ACTIONS%", "%STYLE%", "%SCRIPT%"];
        int from = 0;
        while (names.Select(name => (Name: name, At: template.IndexOf(name, from, StringComparison.Ordinal))).Where(static found => found.At >= 0)
            .OrderBy(static found => found.At).FirstOrDefault() is { Name: not null } next)
        {
            yield return template[from..next.At];
            yield return next.Name;
            from = next.At + next.Name.Length;
        }

        yield return template[from..];
    }

    private static string Resource(string name)
    {
        using var reader = new StreamReader(typeof(PageTemplate).Assembly.GetManifestResourceStream(name)!);
        return reader.ReadToEnd();
    }
}
