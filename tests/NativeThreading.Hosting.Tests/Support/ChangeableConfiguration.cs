using Microsoft.Extensions.Configuration;

namespace NativeThreading.Hosting.Tests.Support;

/// <summary>A configuration like a file that is edited: changes show at the next reload.</summary>
internal sealed class ChangeableConfiguration : ConfigurationProvider, IConfigurationSource
{
    private readonly Dictionary<string, string?> _values = new(StringComparer.OrdinalIgnoreCase);

    public IConfigurationProvider Build(IConfigurationBuilder builder) => this;

    public override void Load() => Data = new Dictionary<string, string?>(_values, StringComparer.OrdinalIgnoreCase);

    public new void Set(string key, string? value)
    {
        if (value is null)
        {
            _values.Remove(key);
        }
        else
        {
            _values[key] = value;
        }
    }
}
