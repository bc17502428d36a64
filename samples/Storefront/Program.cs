using NativeThreading.Samples.Storefront;

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);

builder.Services.AddNativeThreadPool("reports").AddHealthCheck(); // NativeThreading:Pools:reports in appsettings.json
builder.Services.ConfigureHttpJsonOptions(json => json.SerializerOptions.TypeInfoResolverChain.Insert(0, StorefrontJson.Default));

// --transport native: event loops carry the connections, and nothing else changes.
if (builder.Configuration["transport"] == "native")
{
    builder.WebHost.UseNativeTransport();
}

using IDisposable? telemetry = Telemetry.Export(builder.Configuration);

WebApplication app = builder.Build();

app.MapHealthChecks("/health");
if (app.Environment.IsDevelopment())
{
    app.MapNativeThreading("/threads"); // elsewhere it needs a policy: .RequireAuthorization("Ops")
}

app.MapGet("/products/{id:int}", Products.Find);

RouteGroupBuilder reports = app.MapGroup("/reports");
reports.MapGet("/sales", Reports.Sales);
reports.MapGet("/stock", Reports.Stock);

// The one line that keeps slow reports away from all other requests. Off only to show what happens without it.
if (app.Configuration.GetValue("Isolation", defaultValue: true))
{
    reports.RunOnNativeThreadPool("reports");
}

await app.StartAsync();
Console.WriteLine($"ready {string.Join(' ', app.Urls)}");
await app.WaitForShutdownAsync();
