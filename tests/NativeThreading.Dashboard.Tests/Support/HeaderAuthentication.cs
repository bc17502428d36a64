using System.Security.Claims;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace NativeThreading.Dashboard.Tests.Support;

/// <summary>Believes the header <c>Role</c>.</summary>
internal sealed class HeaderAuthentication(IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory logger, UrlEncoder encoder)
    : AuthenticationHandler<AuthenticationSchemeOptions>(options, logger, encoder)
{
    public const string Name = "header";

    protected override Task<AuthenticateResult> HandleAuthenticateAsync()
    {
        if (Request.Headers["Role"] is not [{ } role])
        {
            return Task.FromResult(AuthenticateResult.NoResult());
        }

        var user = new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Role, role)], Name));
        return Task.FromResult(AuthenticateResult.Success(new AuthenticationTicket(user, Name)));
    }
}
