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

/// <summary>What every answer says: it is of this moment, and is what it says it is.</summary>
internal static class Headers
{
    /// <summary>For answers without a body, too.</summary>
    public static void ForbidStoring(HttpResponse response) => response.Headers.CacheControl = "no-store";

    public static void Set(HttpResponse response, string contentType)
    {
        response.ContentType = contentType;
        response.Headers.XContentTypeOptions = "nosniff";
        response.Headers["Referrer-Policy"] = "no-referrer";
    }

    /// <summary>There are as many viewers as the application serves at once.</summary>
    public static void RefuseViewer(HttpResponse response)
    {
        response.StatusCode = StatusCodes.Status503ServiceUnavailable;
        response.Headers.RetryAfter = "10";
    }
}
