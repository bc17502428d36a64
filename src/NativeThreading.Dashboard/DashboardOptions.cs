namespace NativeThreading.Dashboard;

/// <summary>Options of the live page of <c>MapNativeThreading</c>. They are read once, when the page is mapped.</summary>
/// <example>
/// <code>
/// app.MapNativeThreading(configure: options =&gt; options.AllowActions = true);
/// </code>
/// </example>
public sealed class DashboardOptions
{
    private const int LeastViewers = 1, MostViewers = 10_000;

    private static readonly TimeSpan s_mostHistory = TimeSpan.FromHours(1);

    /// <summary>Gets or sets whether viewers may ask for stacks and reset histograms; <see langword="false"/> by default. It does not change what they may see.</summary>
    public bool AllowActions { get; set; }

    /// <summary>Gets or sets how many viewers the application serves at once, 1 to 10,000. The default is 100. A stream and a request for a
    /// snapshot are one viewer each. A viewer beyond the limit is answered with status 503 and <c>Retry-After</c>. All mappings of an
    /// application share their viewers.</summary>
    /// <remarks>A viewer that does not read holds up to 64 KiB in the server, Kestrel's <c>MaxResponseBufferSize</c>, in addition to the system's
    /// buffers for its connection.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of range.</exception>
    public int MaxViewers
    {
        get;
        set => field = Checked(value, LeastViewers, MostViewers, nameof(MaxViewers));
    } = 100;

    /// <summary>Gets or sets how long counts are kept, from the moment the page is mapped: one point a second for each pool and loop. Between 0 and 1
    /// hour; 0 keeps none. 15 minutes by default. All mappings of an application share one history, which has the length of the first.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of range.</exception>
    public TimeSpan History
    {
        get;
        set => field = value >= TimeSpan.Zero && value <= s_mostHistory
            ? value
            : throw new ArgumentOutOfRangeException(nameof(History), $"{nameof(History)} must be between {TimeSpan.Zero} and {s_mostHistory}, but was {value}.");
    } = TimeSpan.FromMinutes(15);

    /// <summary>How long a viewer may take to accept what was written.</summary>
    internal TimeSpan WriteTimeout { get; set; } = TimeSpan.FromSeconds(10);

    private static int Checked(int value, int least, int most, string name) => value >= least && value <= most
        ? value
        : throw new ArgumentOutOfRangeException(name, $"{name} must be between {least} and {most}, but was {value}.");
}
