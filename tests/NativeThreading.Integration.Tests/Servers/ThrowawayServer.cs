namespace NativeThreading.Integration.Servers;

/// <summary>
/// A server of a test collection, with its own directory under the temporary one. Where its programs are not installed the
/// collection's tests are skipped, or fail if <c>NTH_REQUIRE_SERVERS</c> is 1.
/// </summary>
public abstract class ThrowawayServer : IAsyncLifetime
{
    private readonly DirectoryInfo _directory = System.IO.Directory.CreateTempSubdirectory("nth-server-");
    private ServerProcess? _process;
    private string? _missing;

    protected string Directory => _directory.FullName;

    protected int Port => _process!.Port;

    /// <summary>To be called at the beginning of each test.</summary>
    public void Require()
    {
        if (_missing is not null)
        {
            Assert.False(Environment.GetEnvironmentVariable("NTH_REQUIRE_SERVERS") == "1", _missing);
            Assert.Skip(_missing);
        }
    }

    public async ValueTask InitializeAsync()
    {
        _missing = Missing();
        if (_missing is null)
        {
            _process = await StartAsync();
            await ConnectAsync();
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_process is not null)
        {
            await DisconnectAsync();
            await _process.DisposeAsync();
        }

        _directory.Delete(recursive: true);
        GC.SuppressFinalize(this);
    }

    /// <summary>What is not installed, and how to get it; or null.</summary>
    protected abstract string? Missing();

    private protected abstract Task<ServerProcess> StartAsync();

    protected abstract Task ConnectAsync();

    protected abstract ValueTask DisconnectAsync();
}
