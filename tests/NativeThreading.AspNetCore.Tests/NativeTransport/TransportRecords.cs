using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>Keeps what this package has logged, by the numbers of its messages.</summary>
internal sealed class TransportRecords : ILoggerProvider
{
    public const int NotUsable = 4, AcceptFailed = 5, Reset = 6, CallbackFailed = 8, Paused = 13, Resumed = 14, LeftBehind = 15, SentBack = 16, NoLoop = 17, RejectedAtTheLimit = 18;

    private readonly ConcurrentQueue<(int Id, string Text)> _records = new();

    /// <summary>Called with each message's number, where it is logged.</summary>
    public Action<int> Logged { get; set; } = static _ => { };

    public int Count(int id) => _records.Count(logged => logged.Id == id);

    /// <summary>The messages of that number.</summary>
    public string[] Texts(int id) => [.. _records.Where(logged => logged.Id == id).Select(static logged => logged.Text)];

    /// <summary>Waits until the message has been logged.</summary>
    public void WaitFor(int id) => Deadline.Until(() => Count(id) > 0, $"message {id}");

    public ILogger CreateLogger(string categoryName) => new Logger(categoryName == Kestrel.Log.Category ? this : null);

    public void Dispose()
    {
    }

    private sealed class Logger(TransportRecords? records) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => records is not null;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            string text = formatter(state, exception);
            Assert.NotEmpty(text);
            records?._records.Enqueue((eventId.Id, text));
            records?.Logged(eventId.Id);
        }
    }
}
