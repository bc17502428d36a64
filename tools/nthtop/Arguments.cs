using System.Diagnostics.CodeAnalysis;

namespace NativeThreading.Top;

/// <summary>What the user asked for.</summary>
/// <param name="Url">The address of the page, without a slash at its end.</param>
/// <param name="Once">Whether to end after one sample.</param>
/// <param name="Json">Whether to print JSON.</param>
/// <param name="Headers">Headers of each request.</param>
internal sealed record Arguments(string Url, bool Once, bool Json, IReadOnlyList<(string Name, string Value)> Headers)
{
    public static bool TryParse(string[] args, [NotNullWhen(true)] out Arguments? arguments)
    {
        arguments = null;
        string? url = null;
        bool once = false, json = false;
        var headers = new List<(string, string)>();
        for (int i = 0; i < args.Length; i++)
        {
            switch (args[i])
            {
                case "--once":
                    once = true;
                    break;
                case "--json":
                    json = true;
                    break;
                case "--header" when i + 1 < args.Length && args[i + 1].Split(':', 2) is [var name, var value]:
                    headers.Add((name.Trim(), value.Trim()));
                    i++;
                    break;
                case var address when url is null && Uri.TryCreate(address, UriKind.Absolute, out Uri? parsed) && parsed.Scheme is "http" or "https":
                    url = address.TrimEnd('/');
                    break;
                default:
                    return false;
            }
        }

        arguments = url is null ? null : new Arguments(url, once, json, headers);
        return arguments is not null;
    }
}
