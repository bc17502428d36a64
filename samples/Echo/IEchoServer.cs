namespace NativeThreading.Samples.Echo;

/// <summary>A server that listens on 127.0.0.1 from its construction on.</summary>
internal interface IEchoServer : IAsyncDisposable
{
    int Port { get; }

    /// <summary>Accepts nothing more, aborts what is open and says what was done.</summary>
    Task<EchoReport> StopAsync();
}
