using Microsoft.AspNetCore.Http;
using NativeThreading.Diagnostics;

namespace NativeThreading.AspNetCore;

/// <summary>One request on its way through the queue of a pool.</summary>
internal sealed class PoolRequest(HttpContext context, RequestDelegate next) : PoolPassage
{
    private HttpContext? _context = context;

    /// <inheritdoc cref="PoolPassage.RunAsync"/>
    public Task<bool> RunAsync(NativeThreadPool pool) => RunAsync(pool, _context!.RequestAborted);

    protected override Task InvokeAsync()
    {
        HttpContext context = _context!;
        if (ThreadObserver.RecordsItem && EndpointMethod.Of(context) is { } method)
        {
            ThreadObserver.NoteMethod(method);
        }

        return next(context);
    }

    protected override void Forget() => _context = null;
}
