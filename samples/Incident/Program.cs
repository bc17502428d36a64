using System.Net;
using NativeThreading;
using NativeThreading.Samples.Incident;

// An application that goes wrong in six ways on request: curl -X POST http://127.0.0.1:5000/incident/block
WebApplicationBuilder builder = WebApplication.CreateBuilder(new WebApplicationOptions { Args = args, EnvironmentName = Environments.Development });
builder.Logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning).AddFilter("System.Net.Http", LogLevel.Warning);
builder.Services.AddNativeThreadPool("reports", options =>
{
    (options.MaxThreads, options.MaxBlockedThreads, options.QueueLimit) = (4, 8, 40);
    options.RecordItems = ItemRecording.Always; // names are known before the page is open
}).AddHealthCheck();
builder.Services.AddNativeThreadPool("mail", options => (options.MaxThreads, options.MaxBlockedThreads, options.RecordItems) = (2, 10, ItemRecording.Always));
builder.Services.AddEventLoopGroup("sessions", options => options.LoopCount = 1);
builder.Services.AddSingleton<Incidents>();
builder.Services.AddSingleton<Traffic>();
builder.Services.AddHostedService(services => services.GetRequiredService<Traffic>());
builder.Services.AddHealthChecks();

WebApplication app = builder.Build();
var incidents = app.Services.GetRequiredService<Incidents>();
app.MapGet("/", () => Results.Redirect("/threads"));
app.MapGet("/report", incidents.Report).RunOnNativeThreadPool("reports");
app.MapHealthChecks("/health");
app.MapPost("/incident/{way}", (string way) => incidents.TryBegin(way) ? Results.Ok() : Results.NotFound());
app.MapPost("/calm", incidents.End);
app.MapNativeThreading();

await app.StartAsync();
string address = app.Urls.First();
app.Services.GetRequiredService<Traffic>().Address = new Uri(address.Replace("[::]", IPAddress.Loopback.ToString(), StringComparison.Ordinal));
Console.WriteLine($"ready {address}");
await app.WaitForShutdownAsync();
incidents.End();
