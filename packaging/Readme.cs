using System.Text.RegularExpressions;

namespace Packing;

/// <summary>A package's page that lists the platforms that are inside: one line for each, and none for one that is not.</summary>
internal static partial class Readme
{
    public static void Write(string source, string destination, string[] platforms)
    {
        string[] lines = File.ReadAllLines(source);
        string[] listed = [.. lines.Select(line => Platform().Match(line).Groups[1].Value).Where(platform => platform.Length != 0)];
        if (platforms.Except(listed).FirstOrDefault() is { } unlisted)
        {
            throw new InvalidOperationException($"{source} has no line that begins with \"- `{unlisted}`\", a platform that the package carries.");
        }

        IEnumerable<string> kept = lines.Where(line => Platform().Match(line) is not { Success: true } match || platforms.Contains(match.Groups[1].Value));
        File.WriteAllText(destination, string.Join('\n', kept) + '\n');
    }

    [GeneratedRegex("^- `((?:linux|osx|win)-[a-z0-9-]+)`")]
    private static partial Regex Platform();
}
