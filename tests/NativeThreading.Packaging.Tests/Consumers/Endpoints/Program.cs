using NativeThreading.AspNetCore;

// The one argument: how an endpoint says that it runs on the pool "reports". The program adds no pool.
WebApplicationBuilder builder = WebApplication.CreateBuilder();
builder.Logging.ClearProviders();
builder.WebHost.UseUrls("http://127.0.0.1:0");
await using WebApplication app = builder.Build();
switch (args[0])
{
    case "call":
        app.MapGet("/report", () => "").RunOnNativeThreadPool("reports");
        break;
    case "attribute":
        app.MapGet("/report", [RunOnNativeThreadPool("reports")] () => "");
        break;
}

try
{
    await app.StartAsync();
}
catch (InvalidOperationException exception)
{
    Console.WriteLine(exception.Message);
    return 2;
}

Console.WriteLine("started");
await app.StopAsync();
return 0;
