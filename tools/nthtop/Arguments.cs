using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace NativeThreading.Top;

/// <summary>What the user asked for.</summary>
/// <param name="Url">The address of the page, without a slash at its end; <see langword="null"/> if a process is read.</param>
/// <param name="ProcessId">The id of the process; <see langword="null"/> if a page is read.</param>
/// <param name="Once">Whether to end after one sample.</param>
/// <param name="Json">Whether to print JSON.</param>
/// <param name="Headers">Headers of each request.</param>
internal sealed record Arguments(string? Url, int? ProcessId, bool Once, bool Json, IReadOnlyList<(string Name, string Value)> Headers)
{
    public static bool TryParse(string[] args, [NotNullWhen(true)] out Arguments? arguments)
    {
        arguments = null;
        string? url = null;
        int? process = null;
        bool once = false, json = false;
        var headers = new List<(string, string)>();
        for (int i = 0; i < args.Length; i++)
        {
            bool isFirst = url is null && process is null;
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
                case var id when isFirst && int.TryParse(id, NumberStyles.None, CultureInfo.InvariantCulture, out int number):
                    process = number;
                    break;
                case var address when isFirst && Uri.TryCreate(address, UriKind.Absolute, out Uri? parsed) && parsed.Scheme is "http" or "https":
                    url = address.TrimEnd('/');
                    break;
                default:
                    return false;
            }
        }

        arguments = url is null && process is null ? null : new Arguments(url, process, once, json, headers);
        return arguments is not null;
    }
}
