using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace NativeThreading.KestrelServer;

/// <summary>A handler of the old kind: it reads, waits, and writes without giving its thread back.</summary>
internal static class Synchronous
{
    private const int MostBytes = 256;

    public static Task AnswerAsync(HttpContext context)
    {
        context.Features.GetRequiredFeature<IHttpBodyControlFeature>().AllowSynchronousIO = true;
        byte[] body = new byte[MostBytes];
        int length = 0;
        while (context.Request.Body.Read(body, length, body.Length - length) is > 0 and int count)
        {
            length += count;
        }

        Task.Delay(1).Wait();
        context.Response.ContentLength = LaterAsync(length).Result;
        context.Response.Body.Write(body, 0, length);
        context.Response.Body.Flush();
        return Task.CompletedTask;
    }

    /// <summary>Continues where the caller's context resumes it, which is where the caller waits.</summary>
    private static async Task<int> LaterAsync(int length)
    {
        await Task.Yield();
        return length;
    }
}
