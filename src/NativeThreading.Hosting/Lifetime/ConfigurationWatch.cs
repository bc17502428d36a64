using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;

namespace NativeThreading.Hosting;

/// <summary>Applies changed limits of threads to the running pools. Logs a warning for each other change, because the rest of a section is read only
/// at startup, and without a warning users would believe that it had been applied.</summary>
internal sealed class ConfigurationWatch : IDisposable
{
    private static readonly string[] s_limits = [nameof(NativeThreadPoolOptions.MaxThreads), nameof(NativeThreadPoolOptions.MaxBlockedThreads)];

    private readonly IConfiguration _configuration;
    private readonly IServiceProvider _services;
    private readonly PoolRegistration[] _pools;
    private readonly string[] _sections;
    private readonly ILogger _logger;
    private readonly IDisposable _registration;
    private Dictionary<string, string?> _values;

    public ConfigurationWatch(
        IConfiguration configuration, IServiceProvider services, IEnumerable<PoolRegistration> pools, IEnumerable<LoopsRegistration> groups, ILogger logger)
    {
        _configuration = configuration;
        _services = services;
        _pools = [.. pools];
        _sections = [.. _pools.Select(static pool => pool.Path), .. groups.Select(static group => group.Path)];
        _logger = logger;
        _values = Read();
        _registration = ChangeToken.OnChange(configuration.GetReloadToken, ApplyChanges);
    }

    public void Dispose() => _registration.Dispose();

    private void ApplyChanges()
    {
        Dictionary<string, string?> now = Read();
        Dictionary<string, string?> before = Interlocked.Exchange(ref _values, now);
        var resized = new HashSet<PoolRegistration>();
        foreach (string key in before.Keys.Union(now.Keys, StringComparer.OrdinalIgnoreCase).Order(StringComparer.OrdinalIgnoreCase))
        {
            string? was = before.GetValueOrDefault(key);
            string? value = now.GetValueOrDefault(key);
            if (was == value)
            {
                continue;
            }

            if (Array.Find(_pools, pool => Array.Exists(s_limits, limit => key.Equals($"{pool.Path}:{limit}", StringComparison.OrdinalIgnoreCase))) is { } pool)
            {
                resized.Add(pool);
            }
            else
            {
                Log.ConfigurationChanged(_logger, key, was ?? "nothing", value ?? "nothing");
            }
        }

        foreach (PoolRegistration pool in resized)
        {
            Resize(pool.Name);
        }
    }

    private void Resize(string name)
    {
        try
        {
            // Created anew: options that code sets are applied after the section, and all are validated.
            NativeThreadPoolOptions options = _services.GetRequiredService<IOptionsFactory<NativeThreadPoolOptions>>().Create(name);
            var pool = _services.GetRequiredKeyedService<NativeThreadPool>(name);
            if ((pool.MaxThreads, pool.MaxBlockedThreads) != (options.MaxThreads, options.MaxBlockedThreads))
            {
                pool.Resize(options.MaxThreads, options.MaxBlockedThreads);
                Log.PoolResized(_logger, name, pool.MaxThreads, pool.MaxBlockedThreads);
            }
        }
        catch (Exception exception) when (exception is OptionsValidationException or ArgumentOutOfRangeException)
        {
            Log.PoolNotResized(_logger, name, exception.Message);
        }
        catch (ObjectDisposedException)
        {
            // The host stops.
        }
    }

    private Dictionary<string, string?> Read() =>
        _sections.SelectMany(section => _configuration.GetSection(section).AsEnumerable())
            .ToDictionary(static pair => pair.Key, static pair => pair.Value, StringComparer.OrdinalIgnoreCase);
}
