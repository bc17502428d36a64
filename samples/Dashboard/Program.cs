using NativeThreading;
using NativeThreading.Samples.Dashboard;

// --authorize: the page asks for a password. --quiet: nothing happens but what is asked for.
bool authorizes = args.Contains("--authorize");
bool isQuiet = args.Contains("--quiet");
WebApplicationBuilder builder = WebApplication.CreateBuilder(new WebApplicationOptions
{
    Args = [.. args.Where(static arg => arg is not ("--authorize" or "--quiet"))],
    EnvironmentName = authorizes ? Environments.Production : Environments.Development,
});

builder.Logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning);
builder.Services.AddNativeThreadPool("reports", options => (options.MaxThreads, options.QueueLimit) = (3, 200));
builder.Services.AddNativeThreadPool("mail", options => options.MaxThreads = 2);
if (!isQuiet)
{
    builder.Services.AddHostedService<Load>();
}

builder.Services.AddHostedService<Heartbeats>();
builder.Services.AddAuthentication(Password.SchemeName).AddScheme<PasswordOptions, Password>(Password.SchemeName, configureOptions: null);
builder.Services.AddAuthorizationBuilder().AddPolicy("Ops", policy => policy.RequireRole("ops"));

WebApplication app = builder.Build();

app.MapGet("/", () => Results.Redirect("/threads"));
app.MapGet("/report", Reports.Render).RunOnNativeThreadPool("reports");
app.MapPost("/block", static (int seconds, [FromKeyedServices("reports")] NativeThreadPool reports) =>
    reports.TryQueueUserWorkItem(Reports.WaitForSupplier, TimeSpan.FromSeconds(Math.Clamp(seconds, 0, 30)), preferLocal: false));
app.MapGet("/wait", (int seconds) => Reports.WaitForSupplier(TimeSpan.FromSeconds(Math.Clamp(seconds, 0, 30)))).RunOnNativeThreadPool("reports");

// The page. Without a policy it is there in Development only.
IEndpointConventionBuilder threads = app.MapNativeThreading("/threads", options => options.AllowActions = true);
if (authorizes)
{
    threads.RequireAuthorization("Ops");
    Console.WriteLine($"user {Password.User}, password {Password.Value}");
}

await app.StartAsync();
Console.WriteLine($"ready {string.Join(' ', app.Urls)}");
await app.WaitForShutdownAsync();
