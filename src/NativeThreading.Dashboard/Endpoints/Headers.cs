using Microsoft.AspNetCore.Http;

namespace NativeThreading.Dashboard.Endpoints;

/// <summary>What every answer says: it is of this moment, and is what it says it is.</summary>
internal static class Headers
{
    public static void Set(HttpResponse response, string contentType)
    {
        response.ContentType = contentType;
        response.Headers.CacheControl = "no-store";
        response.Headers.XContentTypeOptions = "nosniff";
        response.Headers["Referrer-Policy"] = "no-referrer";
    }
}
