using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using NativeThreading;

// The one argument: how many threads the configuration gives to the pool "reports".
HostApplicationBuilder builder = Host.CreateApplicationBuilder();
builder.Logging.SetMinimumLevel(LogLevel.Error);
builder.Configuration.AddInMemoryCollection([new("NativeThreading:Pools:reports:MaxThreads", args[0])]);
builder.Services.AddNativeThreadPool("reports").AddHealthCheck();

using IHost host = builder.Build();
try
{
    await host.StartAsync();
}
catch (OptionsValidationException exception)
{
    Console.WriteLine(exception.Message);
    return 2;
}

var pool = host.Services.GetRequiredKeyedService<NativeThreadPool>("reports");
Console.WriteLine($"threads: {host.Services.GetRequiredService<IOptionsMonitor<NativeThreadPoolOptions>>().Get("reports").MaxThreads}");
Console.WriteLine($"run: {await pool.Run(static () => NativeThreadPool.Current?.Name)}");
Console.WriteLine($"health: {(await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync()).Status}");
await host.StopAsync();
return 0;
