using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace NativeThreading.Hosting;

/// <summary>Finds sections below <c>NativeThreading</c> that belong to no pool and no group. With a misspelt name a limit would have no effect. Neither
/// the source of a key, a file or the environment, nor its case matters.</summary>
internal static class SectionCheck
{
    private const string Root = "NativeThreading";

    /// <exception cref="OptionsValidationException">
    /// There are unknown sections. The message has the full key of each, and the known names.
    /// </exception>
    public static void ThrowIfUnknown(IConfiguration configuration, IEnumerable<PoolRegistration> pools, IEnumerable<LoopsRegistration> groups)
    {
        Kind[] kinds =
        [
            new("pool", PoolRegistration.AllPools, [.. pools.Select(static pool => pool.Name)]),
            new("event loop group", LoopsRegistration.AllGroups, [.. groups.Select(static group => group.Name)]),
        ];

        IEnumerable<string> unknown = configuration.GetSection(Root).GetChildren()
            .Where(section => !kinds.Any(kind => IsSame(kind.Section, section.Path)))
            .Select(section => $"{section.Path}: unknown section. Known sections are {string.Join(" and ", kinds.Select(static kind => kind.Section))}.");
        string[] failures = [.. unknown, .. kinds.SelectMany(kind => kind.Failures(configuration))];
        if (failures.Length != 0)
        {
            throw new OptionsValidationException(Root, typeof(NativeThreadPoolOptions), failures);
        }
    }

    private static bool IsSame(string one, string other) => string.Equals(one, other, StringComparison.OrdinalIgnoreCase);

    private sealed record Kind(string What, string Section, string[] Names)
    {
        public IEnumerable<string> Failures(IConfiguration configuration)
        {
            IConfigurationSection section = configuration.GetSection(Section);
            if (!string.IsNullOrEmpty(section.Value))
            {
                yield return $"{section.Path}: this key must contain one section per {What}, but has the value '{section.Value}'.";
            }

            foreach (IConfigurationSection child in section.GetChildren())
            {
                if (!Names.Any(name => IsSame(name, child.Key)))
                {
                    string known = Names.Length == 0 ? "None is registered." : $"Registered names: {string.Join(", ", Names.Select(static name => $"'{name}'"))}.";
                    yield return $"{child.Path}: no {What} named '{child.Key}' is registered. {known}";
                }
                else if (!string.IsNullOrEmpty(child.Value))
                {
                    yield return $"{child.Path}: this key must contain the options of one {What}, but has the value '{child.Value}'.";
                }
            }
        }
    }
}
