using System.Net.Http.Headers;
using System.Security.Claims;
using System.Security.Cryptography;
using System.Text;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.Extensions.Options;

namespace NativeThreading.Samples.Dashboard;

internal sealed class PasswordOptions : AuthenticationSchemeOptions;

/// <summary>Asks the browser for a password that is made at each start. An application uses what it has: cookies, OpenID Connect.</summary>
internal sealed class Password(IOptionsMonitor<PasswordOptions> options, ILoggerFactory logger, UrlEncoder encoder)
    : AuthenticationHandler<PasswordOptions>(options, logger, encoder)
{
    public const string SchemeName = "Basic";
    public const string User = "ops";

    public static string Value { get; } = Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(8));

    protected override Task<AuthenticateResult> HandleAuthenticateAsync()
    {
        if (!AuthenticationHeaderValue.TryParse(Request.Headers.Authorization, out AuthenticationHeaderValue? header) || header.Scheme != SchemeName)
        {
            return Task.FromResult(AuthenticateResult.NoResult());
        }

        string expected = Convert.ToBase64String(Encoding.UTF8.GetBytes($"{User}:{Value}"));
        if (!CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(expected), Encoding.UTF8.GetBytes(header.Parameter ?? "")))
        {
            return Task.FromResult(AuthenticateResult.Fail("Wrong user or password."));
        }

        var user = new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Role, "ops")], SchemeName));
        return Task.FromResult(AuthenticateResult.Success(new AuthenticationTicket(user, SchemeName)));
    }

    protected override Task HandleChallengeAsync(AuthenticationProperties properties)
    {
        Response.Headers.WWWAuthenticate = $"{SchemeName} realm=\"threads\", charset=\"UTF-8\"";
        return base.HandleChallengeAsync(properties);
    }
}
