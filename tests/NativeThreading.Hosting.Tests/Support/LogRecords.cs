using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Hosting.Tests.Support;

/// <summary>Keeps what is logged.</summary>
internal sealed class LogRecords : ILoggerProvider
{
    private readonly ConcurrentQueue<(LogLevel Level, int Id, string Text)> _records = new();

    /// <summary>What this library logged, in order.</summary>
    public (LogLevel Level, int Id, string Text)[] All => [.. _records];

    /// <summary>What the service warns of by itself; what the pools tell comes when it comes.</summary>
    public string[] Warnings => [.. _records.Where(record => record.Level >= LogLevel.Warning && record.Id <= PoolWarning.FirstId).Select(record => record.Text)];

    public ILogger CreateLogger(string categoryName) => new Logger(categoryName.StartsWith("NativeThreading", StringComparison.Ordinal) ? _records : null);

    public void Dispose()
    {
    }

    private sealed class Logger(ConcurrentQueue<(LogLevel, int, string)>? records) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => records is not null;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            records?.Enqueue((logLevel, eventId.Id, formatter(state, exception)));
    }
}
