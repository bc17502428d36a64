using Microsoft.AspNetCore.Http;

namespace NativeThreading.Dashboard.Endpoints;

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
