using System.Globalization;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Http;
using NativeThreading.Dashboard.Rendering;

namespace NativeThreading.Dashboard.Endpoints;

/// <summary>The page. Its policy lets it load nothing, and talk to its own host alone.</summary>
internal sealed class PageEndpoint(bool allowsActions)
{
    private const int NonceBytes = 16;

    public async Task AnswerAsync(HttpContext context)
    {
        string nonce = Convert.ToBase64String(RandomNumberGenerator.GetBytes(NonceBytes));
        HttpResponse response = context.Response;
        Headers.Set(response, "text/html; charset=utf-8");
        response.Headers.ContentSecurityPolicy = string.Create(
            CultureInfo.InvariantCulture,
            $"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");

        string basePath = context.Request.PathBase.Add(context.Request.Path).ToUriComponent().TrimEnd('/');
        byte[] page = PageTemplate.Render(nonce, basePath, allowsActions);
        response.ContentLength = page.Length;
        await response.Body.WriteAsync(page, context.RequestAborted).ConfigureAwait(false);
    }
}
