using System.Diagnostics.Tracing;
using Microsoft.Extensions.Logging;
using NativeThreading.Hosting.Tests.Support;
using NativeThreading.Tracing;

namespace NativeThreading.Hosting.Tests.Lifetime;

/// <summary>An event appears in the log at its own level: an error of the event source is an error of the log.</summary>
public sealed class WarningLevelTests
{
    [Fact]
    public void AnEventIsLogged_AtItsOwnLevel()
    {
        var records = new LogRecords();
        using (var source = new Source())
        using (new Forwarder(source, records.CreateLogger("NativeThreading.Events")))
        {
            source.Warn();
            source.Fail();
            source.Stop();
        }

        Assert.Equal(
            [(LogLevel.Warning, 101, "a warning"), (LogLevel.Error, 102, "an error"), (LogLevel.Critical, 103, "critical")],
            records.All);
    }

    /// <summary>A wake-up is lost only through a bug of the library. Log filters that keep errors must show it.</summary>
    [Theory]
    [InlineData(3, EventLevel.Error)] // a lost wake-up
    [InlineData(7, EventLevel.Error)] // MaxBlockedThreads is reached
    [InlineData(5, EventLevel.Warning)] // blocked threads were replaced
    [InlineData(21, EventLevel.Critical)] // a loop has stopped
    public void LevelOfAnEvent(int id, EventLevel expected) =>
        Assert.Equal(
            expected,
            typeof(NativeThreadPool).Assembly.GetType("NativeThreading.Tracing.NativeThreadingEventSource", throwOnError: true)!
                .GetMethods()
                .SelectMany(static method => method.GetCustomAttributes(inherit: false).OfType<EventAttribute>())
                .Single(data => data.EventId == id)
                .Level);

    [EventSource(Name = "NativeThreading-WarningLevelTests")]
    private sealed class Source : EventSource
    {
        [Event(1, Level = EventLevel.Warning, Message = "a warning")]
        public void Warn() => WriteEvent(1);

        [Event(2, Level = EventLevel.Error, Message = "an error")]
        public void Fail() => WriteEvent(2);

        [Event(3, Level = EventLevel.Critical, Message = "critical")]
        public void Stop() => WriteEvent(3);
    }

    private sealed class Forwarder : EventListener
    {
        private readonly ILogger _logger;

        public Forwarder(EventSource source, ILogger logger)
        {
            _logger = logger;
            EnableEvents(source, EventLevel.Warning);
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData) => new PoolWarning(_logger, eventData, suppressed: 0).Execute();
    }
}
