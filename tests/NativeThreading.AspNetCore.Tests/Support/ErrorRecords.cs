using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace NativeThreading.AspNetCore.Tests.Support;

/// <summary>Keeps the warnings and errors that this library logged.</summary>
internal sealed class ErrorRecords : ILoggerProvider
{
    private readonly ConcurrentQueue<(int Id, string Text)> _records = new();

    public (int Id, string Text)[] OfThisLibrary => [.. _records];

    public ILogger CreateLogger(string categoryName) => new Logger(categoryName.StartsWith("NativeThreading", StringComparison.Ordinal) ? _records : null);

    public void Dispose()
    {
    }

    private sealed class Logger(ConcurrentQueue<(int, string)>? records) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => records is not null && logLevel >= LogLevel.Warning;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (IsEnabled(logLevel))
            {
                records?.Enqueue((eventId.Id, formatter(state, exception)));
            }
        }
    }
}
