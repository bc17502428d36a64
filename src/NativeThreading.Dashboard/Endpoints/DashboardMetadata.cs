namespace NativeThreading.Dashboard.Endpoints;

/// <summary>Marks the endpoints of one mapping.</summary>
/// <param name="Pattern">For messages.</param>
internal sealed record DashboardMetadata(string Pattern);
