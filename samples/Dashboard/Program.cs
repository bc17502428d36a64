using NativeThreading.Samples.Dashboard;

bool authorizes = args.Contains("--authorize");
WebApplicationBuilder builder = WebApplication.CreateBuilder(new WebApplicationOptions
{
    Args = [.. args.Where(static arg => arg != "--authorize")],
    EnvironmentName = authorizes ? Environments.Production : Environments.Development,
});

builder.Logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning);
builder.Services.AddNativeThreadPool("reports", options => (options.MaxThreads, options.QueueLimit) = (3, 200));
builder.Services.AddNativeThreadPool("mail", options => options.MaxThreads = 2);
builder.Services.AddHostedService<Load>();
builder.Services.AddHostedService<Heartbeats>();
builder.Services.AddAuthentication(Password.SchemeName).AddScheme<PasswordOptions, Password>(Password.SchemeName, configureOptions: null);
builder.Services.AddAuthorizationBuilder().AddPolicy("Ops", policy => policy.RequireRole("ops"));

WebApplication app = builder.Build();

app.MapGet("/", () => Results.Redirect("/threads"));
app.MapGet("/report", Reports.Render).RunOnNativeThreadPool("reports");
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
