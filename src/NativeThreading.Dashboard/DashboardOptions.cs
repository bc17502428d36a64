namespace NativeThreading.Dashboard;

/// <summary>What the page of <c>MapNativeThreading</c> may do. Read once, when it is mapped.</summary>
public sealed class DashboardOptions
{
    /// <summary>Whether viewers may ask for stacks and reset histograms; off unless set. What they may see does not depend on it.</summary>
    public bool AllowActions { get; set; }

    /// <summary>How long a viewer may take to accept what was written.</summary>
    internal TimeSpan WriteTimeout { get; set; } = TimeSpan.FromSeconds(10);
}
