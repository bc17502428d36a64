using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;
using NativeThreading.KestrelServer;

// The argument says what carries the connections. Then it prints "ready" with the addresses for HTTP/1, for HTTP/1 over TLS and for
// HTTP/2 without TLS, answers inquiries, and ends when its input does.
if (args is not [var side])
{
    throw new ArgumentException($"One of: {string.Join(", ", Carrier.Names)}.");
}

WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
builder.Logging.ClearProviders();
builder.WebHost.UseKestrelHttpsConfiguration();
builder.WebHost.ConfigureKestrel(static kestrel =>
{
    kestrel.Listen(IPAddress.Loopback, 0);
    kestrel.Listen(IPAddress.Loopback, 0, static tls =>
    {
        tls.Protocols = HttpProtocols.Http1;
        tls.UseHttps(SelfSigned.Certificate());
    });
    kestrel.Listen(IPAddress.Loopback, 0, static http2 => http2.Protocols = HttpProtocols.Http2);
});
Carrier.Use(side, builder);

await using WebApplication application = builder.Build();
Endpoints.Map(application);
await application.StartAsync();
Carrier.Check(side, application.Services);
Console.WriteLine($"ready {string.Join(' ', application.Urls)}");
Console.Out.Flush();
await Inquiries.AnswerAsync();
await application.StopAsync();
