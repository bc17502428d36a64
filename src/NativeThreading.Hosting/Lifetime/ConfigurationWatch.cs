using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Primitives;

namespace NativeThreading.Hosting;

/// <summary>
/// Logs a warning when a section changes that was read only at startup. A pool cannot change its size while it runs, and without a
/// warning users would believe that it did.
/// </summary>
internal sealed class ConfigurationWatch : IDisposable
{
    private readonly IConfiguration _configuration;
    private readonly string[] _sections;
    private readonly ILogger _logger;
    private readonly IDisposable _registration;
    private Dictionary<string, string?> _values;

    public ConfigurationWatch(IConfiguration configuration, string[] sections, ILogger logger)
    {
        _configuration = configuration;
        _sections = sections;
        _logger = logger;
        _values = Read();
        _registration = ChangeToken.OnChange(configuration.GetReloadToken, LogChanges);
    }

    public void Dispose() => _registration.Dispose();

    private void LogChanges()
    {
        Dictionary<string, string?> now = Read();
        Dictionary<string, string?> before = Interlocked.Exchange(ref _values, now);
        foreach (string key in before.Keys.Union(now.Keys, StringComparer.OrdinalIgnoreCase).Order(StringComparer.OrdinalIgnoreCase))
        {
            string? was = before.GetValueOrDefault(key);
            string? value = now.GetValueOrDefault(key);
            if (was != value)
            {
                Log.ConfigurationChanged(_logger, key, was ?? "nothing", value ?? "nothing");
            }
        }
    }

    private Dictionary<string, string?> Read() =>
        _sections.SelectMany(section => _configuration.GetSection(section).AsEnumerable())
            .ToDictionary(static pair => pair.Key, static pair => pair.Value, StringComparer.OrdinalIgnoreCase);
}
