using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace NativeThreading.AspNetCore.Tests.Transport.Support;

/// <summary>Keeps all logged errors, and the warnings of this library.</summary>
internal sealed class ErrorLog : ILoggerProvider
{
    private readonly ConcurrentQueue<string> _errors = new();
    private readonly ConcurrentQueue<string> _warnings = new();

    public string[] Errors => [.. _errors];

    public string[] Warnings => [.. _warnings];

    public ILogger CreateLogger(string categoryName) => new Logger(this, categoryName);

    public void Dispose()
    {
    }

    private sealed class Logger(ErrorLog log, string category) : ILogger
    {
        private bool IsOurs => category.StartsWith("NativeThreading", StringComparison.Ordinal);

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Error || (IsOurs && logLevel == LogLevel.Warning);

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (IsEnabled(logLevel))
            {
                (logLevel == LogLevel.Warning ? log._warnings : log._errors).Enqueue($"{category}: {formatter(state, exception)} {exception}");
            }
        }
    }
}
