using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Dashboard.Tests.Support;

/// <summary>Keeps what this package logged.</summary>
internal sealed class Records : ILoggerProvider
{
    private readonly ConcurrentQueue<(int Id, LogLevel Level, string Text)> _records = new();

    public (int Id, LogLevel Level, string Text)[] All => [.. _records];

    public ILogger CreateLogger(string categoryName) => new Logger(categoryName == "NativeThreading.Dashboard" ? _records : null);

    public void Dispose()
    {
    }

    private sealed class Logger(ConcurrentQueue<(int, LogLevel, string)>? records) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => records is not null;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            records?.Enqueue((eventId.Id, logLevel, formatter(state, exception)));
    }
}
